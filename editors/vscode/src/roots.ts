// The folders of cases of a workspace.

import { basename, dirname, join } from "node:path";

/** The usual name of a folder of cases. */
const USUAL_FOLDER = "evals";
const SETTINGS = "arraign.yaml";

/** Finds the folders that contain the files, by the rule of the server: the nearest with settings, else the nearest `evals`. */
export function findRoots(files: readonly string[]): string[] {
  const configured = new Set(files.filter((file) => basename(file) === SETTINGS).map((file) => dirname(file)));
  const roots = files.map((file) => findRoot(file, configured));
  return [...new Set(roots.filter((root) => root !== undefined))].sort();
}

function findRoot(file: string, configured: ReadonlySet<string>): string | undefined {
  const above = listAncestors(dirname(file));
  return above.find((folder) => configured.has(folder)) ?? above.find((folder) => basename(folder) === USUAL_FOLDER);
}

function listAncestors(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...listAncestors(above)];
}

/** Whether a change of the file can change the list of trials. */
export function isCaseFile(file: string): boolean {
  return /\.(?:ya?ml|jsonl?)$/u.test(file) && !file.split(/[\\/]/u).includes("target");
}

/** A file of the folder by which the server finds it. */
export function nameFileIn(root: string): string {
  return join(root, SETTINGS);
}
