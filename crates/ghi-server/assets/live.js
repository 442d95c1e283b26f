// The result while the reader types a number or drags a slider.

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

let hint;
let isLoading = false;
let isOutdated = false;

// Shows the result of a form, which `load` returns as a page: one request at a time, ending with the latest values.
export async function update(form, load) {
  clearTimeout(hint);
  isOutdated = isLoading;
  if (isLoading) return;
  isLoading = true;
  try {
    const fresh = await load();
    // A newer page may have replaced the form.
    for (const part of form.isConnected ? all("[data-live]") : []) {
      const other = fresh.getElementById(part.id);
      if (other) part.replaceChildren(...document.adoptNode(other).childNodes);
    }
    // Not while the reader is still typing.
    clearTimeout(hint);
    hint = setTimeout(() => {
      for (const message of form.isConnected ? all(".curve-form .invalid", fresh) : []) {
        if (!document.getElementById(message.id)) document.getElementById(message.id.slice(8))?.parentElement.append(message);
      }
    }, 1000);
  } catch {
    // The final value is loaded as a page, which reports errors.
  }
  isLoading = false;
  if (isOutdated && form.isConnected) update(form, load);
}
