// Runs trials in processes of the test target, and reads their events.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import { readEvent, type TrialEvent } from "./events";

/** The command that runs trials: a cargo command of a crate, or arraign's own. */
export interface TrialProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

export interface RunHandlers {
  onEvent(event: TrialEvent): void;
  onOutput(line: string): void;
}

export interface RunOptions {
  /** The trials; `undefined` for all. */
  readonly names: readonly string[] | undefined;
  readonly includeIgnored: boolean;
  readonly signal: AbortSignal;
}

/** The largest number of characters of names in one command line: Windows takes 32,767 in all. */
const MAX_NAME_CHARACTERS = 24_000;

/** Runs the trials and returns when all processes have ended. */
export async function runTrials(program: TrialProgram, options: RunOptions, handlers: RunHandlers): Promise<void> {
  const parts = options.names === undefined ? [[]] : splitNames(options.names);
  for (const names of parts) {
    if (options.signal.aborted) return;
    const exact = names.length > 0 ? ["--exact", ...names] : [];
    const ignored = options.includeIgnored ? ["--include-ignored"] : [];
    await runProcess(program, ["--format", "json", ...ignored, ...exact], options.signal, handlers);
  }
}

/** Splits names into parts that fit on a command line. */
export function splitNames(names: readonly string[]): string[][] {
  const parts: string[][] = [];
  let length = Infinity;
  for (const name of names) {
    if (length + name.length > MAX_NAME_CHARACTERS) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(name);
    length += name.length + 3;
  }
  return parts;
}

async function runProcess(
  { program, args, cwd }: TrialProgram,
  rest: readonly string[],
  signal: AbortSignal,
  handlers: RunHandlers,
): Promise<void> {
  // A group of its own: cargo and the trials below it are stopped together.
  const detached = process.platform !== "win32";
  const child = spawn(program, [...args, ...rest], { cwd, detached, stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => {
    stopProcess(child, detached);
  };
  signal.addEventListener("abort", stop, { once: true });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event = readEvent(line, cwd);
    if (event) handlers.onEvent(event);
    else if (!line.startsWith("{")) handlers.onOutput(line);
  });
  createInterface({ input: child.stderr }).on("line", handlers.onOutput.bind(handlers));
  await new Promise<void>((done, fail) => {
    child.on("error", fail);
    child.on("close", () => {
      done();
    });
  }).finally(() => {
    signal.removeEventListener("abort", stop);
  });
}

function stopProcess(child: ChildProcessByStdio<null, Readable, Readable>, isGroup: boolean): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  if (isGroup) process.kill(-child.pid, "SIGINT");
  else child.kill();
}
