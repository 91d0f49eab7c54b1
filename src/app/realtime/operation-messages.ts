import type { OperationMessages } from '../../lib/operations/operation.ts';

/** For operations whose streams have no viewers: they help to find what went wrong. */
export const operationMessages: OperationMessages = {
  progress: ({ status }) => ({ type: 'progress', status }),
  log: (message) => ({ type: 'log', message }),
  complete: ({ status, error }) => ({ type: 'complete', status, ...(error ? { error } : {}) }),
};
