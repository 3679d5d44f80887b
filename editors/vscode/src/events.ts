// The events that `--format json` prints while trials run.

import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

import { parseLine, type Position } from "./listing";

/** A part of the text of a red trial, and the place that it is about. */
export interface Failure {
  readonly message: string;
  readonly file: string | undefined;
  readonly position: Position;
}

export type TrialEvent =
  | { readonly state: "started" | "passed" | "skipped"; readonly name: string }
  | { readonly state: "failed"; readonly name: string; readonly failures: readonly Failure[] };

interface EventLine {
  type?: string;
  event?: string;
  name: string;
  stdout?: string;
}

const PLACE = /^ *--> (.+):(\d+):(\d+)$/mu;

/** Reads the event in a line. Other lines, and the events of suites, are `undefined`. */
export function readEvent(line: string, folder: string): TrialEvent | undefined {
  const event = parseLine(line) as EventLine | undefined;
  if (event?.type !== "test") return undefined;
  const { name } = event;
  switch (event.event) {
    case "started":
      return { state: "started", name };
    case "ok":
      return { state: "passed", name };
    case "ignored":
      return { state: "skipped", name };
    case "failed":
      return { state: "failed", name, failures: splitFailures(event.stdout ?? "", folder) };
    default:
      return undefined;
  }
}

/** Splits the text of a red trial into its errors, each with its place. */
export function splitFailures(text: string, folder: string): Failure[] {
  // The frame of libtest's text says nothing that the tree does not show.
  const framed = /^(?:Error: ")?\n*(?:thread '.*' panicked at .*\n)?([^]*?)(?:\nnote: .*)?(?:\n"\n?)?$/u.exec(text);
  const plain = framed?.[1] ?? text;
  const parts = plain.split(/^(?=(?:error|warning)(?:\[|: ))/mu).filter((part) => part.trim() !== "");
  return (parts.length === 0 ? ["the trial failed without a message"] : parts).map((part) => {
    const [, file, line, column] = PLACE.exec(part) ?? [];
    const position = { line: Number(line ?? 1) - 1, character: Number(column ?? 1) - 1 };
    return { message: part.trimEnd(), file: file === undefined ? undefined : findFile(file, folder), position };
  });
}

/** Finds a file that a message names from the root of the package, the workspace or the repository. */
function findFile(file: string, folder: string): string | undefined {
  if (isAbsolute(file)) return file;
  const path = join(folder, file);
  if (existsSync(path)) return path;
  const above = dirname(folder);
  return above === folder ? undefined : findFile(file, above);
}
