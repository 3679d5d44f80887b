// The list of trials that `--list --format json` prints, and its tree.

/** A place in a file, counted from 0. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Trial {
  readonly name: string;
  /** Why the trial is ignored; empty without a reason, `undefined` if it is not ignored. */
  readonly ignored: string | undefined;
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
  readonly tags: readonly string[];
}

export interface Listing {
  /** The folder of cases. */
  readonly root: string;
  readonly trials: readonly Trial[];
}

/** A trial, or the part that the names of several trials begin with. */
export interface CaseNode {
  readonly name: string;
  readonly label: string;
  /** The file of all trials in it, if there is only one. */
  file: string | undefined;
  trial: Trial | undefined;
  readonly children: Map<string, CaseNode>;
}

interface DiscoveryLine {
  event?: string;
  root?: string;
  name: string;
  ignore: boolean;
  ignore_message: string;
  source_path: string;
  start_line: number;
  start_col: number;
  end_line: number;
  end_col: number;
  tags: string[];
}

/** Parses a line of JSON. What a program prints besides is `undefined`. */
export function parseLine(line: string): unknown {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Parses the output of a list. The error contains what the program printed instead. */
export function parseListing(output: string): Listing {
  const lines = output.split(/\r?\n/u).map((line) => parseLine(line) as DiscoveryLine | undefined);
  const root = lines.find((line) => line?.event === "discovery")?.root;
  if (root === undefined) throw new Error(output.trim() || "the list is empty");
  const found = lines.filter((line) => line?.event === "discovered") as DiscoveryLine[];
  return { root, trials: found.map(readTrial) };
}

function readTrial(line: DiscoveryLine): Trial {
  return {
    name: line.name,
    ignored: line.ignore ? line.ignore_message : undefined,
    file: line.source_path,
    start: { line: line.start_line - 1, character: line.start_col - 1 },
    end: { line: line.end_line - 1, character: line.end_col - 1 },
    tags: line.tags,
  };
}

/** Arranges trials by the parts of their names. */
export function buildTree(trials: readonly Trial[]): Map<string, CaseNode> {
  const roots = new Map<string, CaseNode>();
  for (const trial of trials) {
    let level = roots;
    let node: CaseNode | undefined;
    for (const label of trial.name.split("::")) {
      const name: string = node ? `${node.name}::${label}` : label;
      const known = level.get(label);
      node = known ?? { name, label, file: trial.file, trial: undefined, children: new Map() };
      if (node.file !== trial.file) node.file = undefined;
      level.set(label, node);
      level = node.children;
    }
    if (node) node.trial = trial;
  }
  return roots;
}
