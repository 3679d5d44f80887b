// The test explorer: the trials of each folder of cases, and their runs.

import { relative } from "node:path";

import * as vscode from "vscode";

import { buildTree, parseListing, type CaseNode, type Trial } from "./listing";
import type { Failure, TrialEvent } from "./events";
import { findRoots, isCaseFile, nameFileIn } from "./roots";
import { runTrials, type TrialProgram } from "./runner";

/** What the server answers to `arraign.list`. */
export interface ListAnswer {
  readonly success: boolean;
  readonly output: string;
  readonly runner: TrialProgram;
}

/** Asks the server for the trials of the folder that contains the file. */
export type ListTrials = (uri: string) => Promise<ListAnswer>;

const CASE_FILES = "**/evals/**/*.{yaml,yml,json,jsonl}";
const SETTINGS_FILES = "**/arraign.yaml";
const LEFT_OUT = "**/{node_modules,target}/**";
/** How long no file must change before its folder is listed again. */
const PAUSE_MS = 500;

/** A folder of cases, with its items by the names of their trials. */
interface CaseFolder {
  readonly item: vscode.TestItem;
  readonly items: Map<string, vscode.TestItem>;
  runner: TrialProgram | undefined;
}

export class Explorer implements vscode.Disposable {
  readonly #controller = vscode.tests.createTestController("arraign", "arraign");
  readonly #folders = new Map<string, CaseFolder>();
  readonly #trials = new WeakMap<vscode.TestItem, Trial>();
  readonly #watcher = vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml,json,jsonl}");
  readonly #listTrials: ListTrials;
  #timer: NodeJS.Timeout | undefined;

  constructor(listTrials: ListTrials) {
    this.#listTrials = listTrials;
    this.#controller.refreshHandler = () => this.refresh();
    const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken) => this.#run(request, token);
    this.#controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, run, true);
    const changed = (uri: vscode.Uri) => {
      this.#refreshLater(uri);
    };
    this.#watcher.onDidChange(changed);
    this.#watcher.onDidCreate(changed);
    this.#watcher.onDidDelete(changed);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watcher.dispose();
    this.#controller.dispose();
  }

  /** Lists the trials of all folders. */
  async refresh(): Promise<void> {
    const found = await Promise.all(
      [CASE_FILES, SETTINGS_FILES].map((pattern) => vscode.workspace.findFiles(pattern, LEFT_OUT)),
    );
    const roots = findRoots(found.flat().map((uri) => uri.fsPath));
    for (const [root, { item }] of this.#folders) {
      if (roots.includes(root)) continue;
      this.#folders.delete(root);
      this.#controller.items.delete(item.id);
    }
    await Promise.all(roots.map((root) => this.#listFolder(root)));
  }

  /** Runs one trial as the lens above it asks. Returns false if the explorer does not list it. */
  async runTrial(uri: string, name: string): Promise<boolean> {
    const file = vscode.Uri.parse(uri).fsPath;
    const items = [...this.#folders.values()].map(({ items }) => items.get(name));
    const item = items.find((item) => item?.uri?.fsPath === file);
    if (!item) return false;
    const cancel = new vscode.CancellationTokenSource();
    await this.#run(new vscode.TestRunRequest([item]), cancel.token);
    return true;
  }

  #refreshLater(uri: vscode.Uri): void {
    if (!isCaseFile(uri.fsPath)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), PAUSE_MS);
  }

  async #listFolder(root: string): Promise<void> {
    const folder = this.#folders.get(root) ?? this.#addFolder(root);
    folder.item.busy = true;
    try {
      const answer = await this.#listTrials(vscode.Uri.file(nameFileIn(root)).toString());
      folder.runner = answer.runner;
      const { trials } = parseListing(answer.output);
      folder.items.clear();
      folder.item.children.replace(this.#makeItems(buildTree(trials), folder));
      folder.item.error = undefined;
    } catch (problem) {
      folder.item.error = problem instanceof Error ? problem.message : String(problem);
    } finally {
      folder.item.busy = false;
    }
  }

  #addFolder(root: string): CaseFolder {
    const uri = vscode.Uri.file(root);
    const base = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? root;
    const item = this.#controller.createTestItem(root, relative(base, root) || root, uri);
    const folder = { item, items: new Map(), runner: undefined };
    this.#folders.set(root, folder);
    this.#controller.items.add(item);
    return folder;
  }

  #makeItems(nodes: Map<string, CaseNode>, folder: CaseFolder): vscode.TestItem[] {
    return [...nodes.values()].map((node) => {
      const uri = node.file === undefined ? undefined : vscode.Uri.file(node.file);
      const item = this.#controller.createTestItem(node.name, node.label, uri);
      if (node.trial) this.#describeTrial(item, node.trial, folder);
      item.children.replace(this.#makeItems(node.children, folder));
      return item;
    });
  }

  #describeTrial(item: vscode.TestItem, trial: Trial, folder: CaseFolder): void {
    const { start, end } = trial;
    item.range = new vscode.Range(start.line, start.character, end.line, end.character);
    item.tags = trial.tags.map((tag) => new vscode.TestTag(tag));
    if (trial.ignored !== undefined) item.description = trial.ignored ? `ignored: ${trial.ignored}` : "ignored";
    folder.items.set(trial.name, item);
    this.#trials.set(item, trial);
  }

  async #run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.#controller.createTestRun(request);
    const abort = new AbortController();
    token.onCancellationRequested(() => {
      abort.abort();
    });
    try {
      for (const folder of this.#folders.values()) await this.#runFolder(folder, request, run, abort.signal);
    } finally {
      run.end();
    }
  }

  async #runFolder(
    folder: CaseFolder,
    request: vscode.TestRunRequest,
    run: vscode.TestRun,
    signal: AbortSignal,
  ): Promise<void> {
    const included = request.include?.filter((item) => isBelow(item, folder.item)) ?? [folder.item];
    const excluded = new Set(request.exclude ?? []);
    const items = new Map(included.flatMap((item) => this.#listLeaves(item, excluded)));
    if (items.size === 0 || !folder.runner) return;
    for (const item of items.values()) run.enqueued(item);
    const isAll = included.includes(folder.item) && excluded.size === 0;
    // A trial that somebody runs by itself runs although it is ignored.
    const includeIgnored = included.every((item) => item.children.size === 0);
    const options = { names: isAll ? undefined : [...items.keys()], includeIgnored, signal };
    await runTrials(folder.runner, options, {
      onEvent: (event) => {
        const item = items.get(event.name);
        if (item) reportEvent(run, item, event);
      },
      onOutput: (line) => {
        run.appendOutput(`${line}\r\n`);
      },
    });
  }

  #listLeaves(item: vscode.TestItem, excluded: ReadonlySet<vscode.TestItem>): [string, vscode.TestItem][] {
    if (excluded.has(item)) return [];
    const trial = this.#trials.get(item);
    const own: [string, vscode.TestItem][] = trial ? [[trial.name, item]] : [];
    return [...own, ...[...item.children].flatMap(([, child]) => this.#listLeaves(child, excluded))];
  }
}

function isBelow(item: vscode.TestItem, folder: vscode.TestItem): boolean {
  return item === folder || (item.parent !== undefined && isBelow(item.parent, folder));
}

function reportEvent(run: vscode.TestRun, item: vscode.TestItem, event: TrialEvent): void {
  if (event.state === "failed") {
    run.failed(item, event.failures.map((failure) => makeMessage(failure, item)));
  } else {
    run[event.state](item);
  }
}

function makeMessage({ message, file, position }: Failure, item: vscode.TestItem): vscode.TestMessage {
  const made = new vscode.TestMessage(message);
  const uri = file === undefined ? item.uri : vscode.Uri.file(file);
  if (uri) made.location = new vscode.Location(uri, new vscode.Position(position.line, position.character));
  return made;
}
