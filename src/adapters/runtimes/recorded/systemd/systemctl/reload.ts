import { systemctl } from './systemctl.ts';

/**
 * Has systemd read its unit files again. It does nothing else meanwhile, for all units of the machine: who asks while one reading is under way
 * shares the next one, which sees what all of them have written.
 */
export function createReload(): () => Promise<void> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= underWay
      .catch(() => undefined)
      .then(async () => {
        next = undefined;
        const reading = systemctl('daemon-reload');
        underWay = reading;
        await reading;
      });
    return next;
  };
}
