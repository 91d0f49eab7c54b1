/** Sentences of causes with parameters, by code; those of the dashboard are in its catalogues. */
export const causeTexts = {
  uncaught_exception: 'The {unit} crashes: {error}',
  /** Of each code of a unit that is restarted again and again. */
  crash_loop: 'The {unit} crashes: {error}, {restarts} restarts in {minutes} min',
  application_error: 'The {unit} reports an error in its log: {error}',
  application_unwell: 'The {unit} says that it is not healthy: {reason}',
  start_failed: 'The last {action} failed: {cause}',
  start_failed_after_change: 'The last {action} failed, after a change of the configuration: {cause}',
} as const;

/** What to do about them, where that depends on the code alone. */
export const remedyTexts = {
  start_failed: 'Correct what it names, then start the services.',
  start_failed_after_change: 'Take the change of the configuration back or correct it, then start the services.',
} as const;
