import type { StepContext } from './operation.ts';

/** A step's context and how to close it: after that what the step does counts no more, it can neither save nor log. */
export function revocableContext<Input, State extends object>(
  inner: StepContext<Input, State>,
): { context: StepContext<Input, State>; close(): void } {
  let open = true;
  return {
    context: {
      ...inner,
      get state() {
        return inner.state;
      },
      async save(patch) {
        if (!open) throw new Error('This step is no longer waited for: what it does counts no more');
        await inner.save(patch);
      },
      log(line) {
        if (open) inner.log(line);
      },
      publish(message) {
        if (open) inner.publish(message);
      },
    },
    close() {
      open = false;
    },
  };
}
