import { expect, test } from '@jest/globals';
import { AppError } from '../../../src/lib/errors.ts';
import { SubjectLocks } from '../../../src/lib/operations/subject-locks.ts';

const refusal = (take: () => unknown): unknown => {
  try {
    take();
    return undefined;
  } catch (error) {
    return error instanceof AppError ? [error.code, error.message] : error;
  }
};

test('compatible work waits only for work that it conflicts with', () => {
  const claims = new SubjectLocks({ import: ['import', 'delete'] });
  const end = claims.take('a', 'import', { operationId: 'imp_1' });
  expect(claims.has('a')).toBe(false);
  claims.assertIdle('a');
  const endBackup = claims.take('a', 'backup');
  expect(claims.has('a')).toBe(true);
  const under = 'Another operation is in progress on this tenant: import (imp_1)';
  expect(refusal(() => claims.take('a', 'import'))).toEqual(['operation_in_progress', under]);
  endBackup();
  expect(refusal(() => claims.take('a', 'delete'))).toEqual(['operation_in_progress', under]);
  end();
  const endDelete = claims.take('a', 'delete');
  expect(refusal(() => claims.take('a', 'import'))).toEqual([
    'operation_in_progress',
    'Another operation is in progress on this tenant: delete',
  ]);
  claims.take('b', 'import');
  endDelete();
  claims.take('a', 'import');
});

test('other work is exclusive, and a lock is released only once', () => {
  const claims = new SubjectLocks();
  const end = claims.take('a', 'deploy');
  expect(refusal(() => claims.take('a', 'backup'))).toBeDefined();
  end();
  const again = claims.take('a', 'backup');
  end();
  expect(claims.has('a')).toBe(true);
  again();
  expect(claims.has('a')).toBe(false);
});
