//! Tests of the structure that ARCHITECTURE.md describes.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

const PACKAGES: [&str; 6] =
    ["ghi-contract", "ghi-engine", "ghi-display", "ghi-server", "ghi-client", "ghi-cli"];

/// Returns the text of each source file by module, such as `http::caching`. The module of `mod.rs` is its
/// folder's, and that of `lib.rs` and `main.rs` is empty.
fn files(package: &str) -> HashMap<String, String> {
    fn walk(folder: &Path, module: &str, found: &mut HashMap<String, String>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let inner = match name {
                "mod" | "lib" | "main" => module.to_owned(),
                name if module.is_empty() => name.to_owned(),
                name => format!("{module}::{name}"),
            };
            if path.is_dir() {
                walk(&path, &inner, found);
            } else {
                found.insert(inner, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let source: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", package, "src"].iter().collect();
    let mut found = HashMap::new();
    walk(&source, "", &mut found);
    found
}

/// Expands an import such as `a::{b, c::d}` to its paths.
fn expanded(import: &str) -> Vec<String> {
    let Some((prefix, rest)) = import.split_once('{') else { return vec![import.trim().into()] };
    let inner = &rest[..rest.rfind('}').unwrap()];
    let mut depth = 0;
    let parts = inner.split(move |char| {
        depth += i32::from(char == '{') - i32::from(char == '}');
        char == ',' && depth == 0
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty()).flat_map(expanded);
    parts.map(|part| format!("{}{part}", prefix.trim())).collect()
}

/// The paths that a file refers to: after `use`, and elsewhere after `crate::`.
fn named_paths(text: &str, module: &str) -> Vec<String> {
    let is_import = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ")
    };
    let starts = text.lines().filter(is_import);
    let imports = starts.map(|line| {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let import = text[start..].split_once("use ").unwrap().1;
        import.split(';').next().unwrap()
    });
    let inside = |path: String| match path.strip_prefix("crate::") {
        Some(path) => path.to_owned(),
        None if module.is_empty() => path,
        None => format!("{module}::{path}"),
    };
    let mut paths: Vec<String> = imports.flat_map(expanded).map(inside).collect();
    let is_path = |char: char| char.is_alphanumeric() || char == '_' || char == ':';
    let elsewhere = text.split("crate::").skip(1);
    paths
        .extend(elsewhere.map(|rest| rest.split(|char| !is_path(char)).next().unwrap().to_owned()));
    paths
}

/// The code of a file without its tests, which may import anything.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap()
}

/// The files that each file of a package imports.
fn imports(files: &HashMap<String, String>) -> HashMap<&str, Vec<&str>> {
    let file_of = |path: &str| {
        let mut path = path.trim_end_matches(':');
        loop {
            if let Some((module, _)) = files.get_key_value(path) {
                return Some(&**module);
            }
            path = path.rsplit_once("::")?.0;
        }
    };
    // Imports are resolved by absolute path only.
    for (module, text) in files {
        let code = without_tests(text).replace("(super)", "");
        assert!(!code.contains("super"), "{module} imports by super");
    }
    files
        .iter()
        .map(|(module, text)| {
            let named = named_paths(without_tests(text), module);
            let imported = named.iter().filter_map(|path| file_of(path));
            (&**module, imported.filter(|file| file != module).collect())
        })
        .collect()
}

/// Finds a cycle of imports, depth first.
fn import_cycle<'a>(
    file: &'a str,
    imports: &HashMap<&'a str, Vec<&'a str>>,
    path: &mut Vec<&'a str>,
    seen: &mut HashSet<&'a str>,
) -> Option<Vec<&'a str>> {
    if let Some(start) = path.iter().position(|before| *before == file) {
        return Some(path[start..].to_vec());
    }
    if !seen.insert(file) {
        return None;
    }
    path.push(file);
    let found =
        imports[file].iter().find_map(|imported| import_cycle(imported, imports, path, seen));
    path.pop();
    found
}

#[test]
fn no_files_import_each_other_in_a_cycle() {
    for package in PACKAGES {
        let files = files(package);
        let imports = imports(&files);
        if package == "ghi-server" {
            assert!(imports["router"].contains(&"routes::api"), "{:?}", imports["router"]);
            assert!(imports["edition"].contains(&"edition::editions"), "{:?}", imports["edition"]);
        }
        for file in imports.keys() {
            assert_eq!(
                import_cycle(file, &imports, &mut Vec::new(), &mut HashSet::new()),
                None,
                "{package}"
            );
        }
    }
}

#[test]
fn a_layer_imports_only_the_layers_below_it() {
    let files = files("ghi-server");
    // `lib.rs` lists them from top to bottom.
    let layers: Vec<&str> =
        files[""].lines().filter_map(|line| line.strip_prefix("mod ")).collect();
    let layers: Vec<&str> = layers.iter().map(|line| line.trim_end_matches(';')).collect();
    assert_eq!(layers.len(), 12, "{layers:?}");
    let level = |module: &str| {
        let layer = module.split("::").next().unwrap();
        let place = layers.iter().position(|listed| *listed == layer);
        place.unwrap_or_else(|| panic!("{module} is not in any layer"))
    };
    for (module, text) in files.iter().filter(|(module, _)| !module.is_empty()) {
        for path in text.split("crate::").skip(1) {
            let path = path.split(|char: char| !char.is_alphanumeric() && char != '_').next();
            let path = path.unwrap();
            assert!(level(module) <= level(path), "{module} imports {path}, which is above it");
        }
    }
}
