import { type Arg, type Copy, DockerfileParser, type From, type Instruction, type Run } from 'dockerfile-ast';

/** An image that a build needs. */
export interface NeededImage {
  /** As the Dockerfile names it. */
  name: string;
  /** `linux/arm64`, where the Dockerfile demands one; undefined: the engine's own. */
  platform?: string | undefined;
}

interface Stage {
  from: string;
  platform: string | undefined;
  /** What its instructions copy or mount from: stages or images. */
  sources: string[];
}

/**
 * The images that a build of a Dockerfile pulls: its frontend (`# syntax=`), and what the stages that lead to the target are
 * made from, copy from and mount from. Names with variables that have no default here (BuildKit's own, those of a stage) are left
 * out, as are those that only a frontend or an image's ONBUILD knows: the build reports them.
 * @param target the name or number of a stage; default: the last
 */
export function imagesOf(dockerfile: string, target?: string): NeededImage[] {
  const parsed = DockerfileParser.parse(dockerfile);
  const variables = globalArguments(parsed.getInitialARGs());
  const expanded = (text: string): string | undefined => expand(text, variables);

  const stages: Stage[] = [];
  const numbers = new Map<string, number>();
  for (const instruction of parsed.getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') {
      const from = instruction as From;
      const platform = from.getPlatformFlag()?.getValue();
      stages.push({
        from: expanded(from.getImage() ?? '') ?? '',
        platform: platform ? expanded(platform) : undefined,
        sources: [],
      });
      const name = from.getBuildStage()?.toLowerCase();
      if (name !== undefined) numbers.set(name, stages.length - 1);
    } else {
      stages.at(-1)?.sources.push(...sourcesOf(instruction).flatMap((source) => expanded(source) ?? []));
    }
  }

  /** The stage that a name means in another one, which comes after it. */
  const stageBefore = (name: string, before: number): number | undefined => {
    const number = numbers.get(name.toLowerCase()) ?? (/^\d+$/.test(name) ? Number(name) : undefined);
    return number !== undefined && number < before ? number : undefined;
  };
  const needed = new Map<string, NeededImage>();
  const visited = new Set<number>();
  function visit(at: number): void {
    const stage = stages[at];
    if (!stage || visited.has(at)) return;
    visited.add(at);
    for (const [index, name] of [stage.from, ...stage.sources].entries()) {
      const number = stageBefore(name, at);
      if (number !== undefined) visit(number);
      else if (name !== '' && name !== 'scratch')
        needed.set(`${name} ${stage.platform}`, { name, platform: index === 0 ? stage.platform : undefined });
    }
  }
  visit(target === undefined ? stages.length - 1 : (stageBefore(target, stages.length) ?? stages.length - 1));

  const syntax = parsed.getDirectives().find((directive) => directive.getName().toLowerCase() === 'syntax');
  const frontend = syntax?.getValue()?.split(/\s/)[0];
  return [...(frontend ? [{ name: frontend }] : []), ...needed.values()];
}

/** What an instruction takes files from: `COPY --from=`, `RUN --mount=…,from=`. */
function sourcesOf(instruction: Instruction): string[] {
  const keyword = instruction.getKeyword();
  if (keyword === 'COPY') return [(instruction as Copy).getFromFlag()?.getValue() ?? ''];
  if (keyword !== 'RUN') return [];
  const mounts = (instruction as Run).getFlags().filter((flag) => flag.getName() === 'mount');
  return mounts.map((mount) => mount.getOption('from')?.getValue() ?? '');
}

/** The defaults of the arguments before the first stage. */
function globalArguments(declared: readonly Arg[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const argument of declared) {
    const property = argument.getProperty();
    const value = expand(property?.getValue() ?? '', variables);
    if (property && value !== undefined && property.getValue() !== null) variables.set(property.getName(), value);
  }
  return variables;
}

/** `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+other}` with their values; undefined: one has none. */
function expand(text: string, variables: ReadonlyMap<string, string>): string | undefined {
  let complete = true;
  const expanded = text
    .replace(/^(["'])(.*)\1$/, '$2')
    .replace(/\$(?:(\w+)|\{(\w+)(?::([-+])([^}]*))?\})/g, (_all, plain, braced, operator, word) => {
      const value = variables.get(plain ?? braced);
      if (operator === '+') return value ? word : '';
      if (operator === '-') return value || word;
      if (value === undefined) complete = false;
      return value ?? '';
    });
  return complete ? expanded : undefined;
}
