/**
 * `sample`: examples/contacts as it is. `usual`: the same, installing what a usual web application does: Express, Sequelize,
 * React, MUI, Vite, TypeScript, sharp, Socket.IO and so on, as usual-application/package.json has them. Its lock comes
 * from `npm install --package-lock-only --ignore-scripts`; its `resolved` lines were taken out, so that it installs from
 * whichever registry is configured.
 */
export type ApplicationName = 'sample' | 'usual';

/** What a version changes: how much of a build an earlier build's layers spare both sides. */
export type Change = 'code' | 'dependencies';

export interface Series {
  name: string;
  /** How it is measured, for the reader. */
  conditions: string;
  /** Nothing of the application there before: no build cache, no mirror of its repository, no image of the commit. */
  cold: boolean;
  application: ApplicationName;
  change: Change;
  rounds: number;
}

const coldConditions =
  'before every deployment by either the build cache is emptied (docker builder prune --all; base images stay); a new manager with an empty data directory each round; the second tenant at the same commit right after the first, in the same manager';

/**
 * The sample application installs so little that starting a tenant's database outweighs its build, and with it what the
 * second tenant is spared. So the cold series is measured once more with the dependencies that web applications have. Of
 * both it is asked, too, that a second tenant takes no longer than what is left of the script.
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
    conditions: 'build cache and mirror of the repository kept, a commit without an image, its dependencies as before',
    cold: false,
    application: 'sample',
    change: 'code',
    rounds: 3,
  },
  {
    name: 'warm, changed dependencies',
    conditions: 'build cache and mirror of the repository kept, a commit without an image, its dependencies changed',
    cold: false,
    application: 'sample',
    change: 'dependencies',
    rounds: 3,
  },
];
