/**
 * `sample`: examples/contacts. `usual`: the same with the dependencies of a usual web application (Express, Sequelize, React,
 * MUI, Vite …), from usual-application/package.json. Its lock file is made by `npm install --package-lock-only
 * --ignore-scripts`, without the `resolved` lines, so that the packages come from the configured registry.
 */
export type ApplicationName = 'sample' | 'usual';

/** What a version changes, and so which layers of an earlier build both sides can reuse. */
export type Change = 'code' | 'dependencies';

export interface Series {
  name: string;
  /** How the series is measured; printed with the figures. */
  conditions: string;
  /** Starts without a build cache, a mirror of the repository and an image of the commit. */
  cold: boolean;
  application: ApplicationName;
  change: Change;
  rounds: number;
}

const coldConditions =
  'the build cache is emptied before every deployment on either side (docker builder prune --all; base images stay); a new manager with an empty data directory each round; the second tenant at the same commit right after the first, in the same manager';

/**
 * The sample application has so few dependencies that starting the database takes longer than the build, which a second tenant
 * saves. So the cold series is also measured with usual dependencies.
 */
export const series: readonly Series[] = [
  {
    name: 'cold',
    conditions: coldConditions,
    cold: true,
    application: 'sample',
    change: 'dependencies',
    rounds: 5,
  },
  {
    name: 'cold',
    conditions: coldConditions,
    cold: true,
    application: 'usual',
    change: 'dependencies',
    rounds: 3,
  },
  {
    name: 'warm, changed code',
    conditions: 'build cache and mirror of the repository kept, a commit without an image, unchanged dependencies',
    cold: false,
    application: 'sample',
    change: 'code',
    rounds: 3,
  },
  {
    name: 'warm, changed dependencies',
    conditions: 'build cache and mirror of the repository kept, a commit without an image, changed dependencies',
    cold: false,
    application: 'sample',
    change: 'dependencies',
    rounds: 3,
  },
];
