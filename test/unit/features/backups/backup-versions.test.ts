import { expect, test } from '@jest/globals';
import { assertSameVersion } from '../../../../src/features/backups/restore/restore-operation.ts';
import type { Backup } from '../../../../src/features/backups/store.ts';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';

const backupOf = (version: string | null, commit: string) => ({ version, commit }) as Backup;
const tenantAt = (version: string | null, commit: string) =>
  ({ slug: 'one', deployed: { version, commit, database: 'sqlite' } }) as unknown as Tenant;

test('a backup matches the commit that a tenant runs, whatever the version is called', () => {
  expect(() => assertSameVersion(backupOf('v1.0.0', 'a'), tenantAt('v1.0.0', 'a'), false)).not.toThrow();
  expect(() => assertSameVersion(backupOf(null, 'a'), tenantAt('v1.0.0', 'a'), false)).not.toThrow();
});

test('a moved tag, or the same tag of another repository, is another version', () => {
  const [backup, tenant] = [backupOf('v1.0.0', 'aaaa'), tenantAt('v1.0.0', 'bbbb')];
  expect(() => assertSameVersion(backup, tenant, false)).toThrow(
    /version v1\.0\.0 \(aaaa\), but one runs v1\.0\.0 \(bbbb\).*allow_version_mismatch/,
  );
  expect(() => assertSameVersion(backup, tenant, true)).not.toThrow();
});

test('an error names versions by tag and heads by commit', () => {
  expect(() => assertSameVersion(backupOf('v1.0.0', 'aaaa'), tenantAt('v1.1.0', 'bbbb'), false)).toThrow(
    'is of version v1.0.0, but one runs v1.1.0:',
  );
  expect(() => assertSameVersion(backupOf(null, 'aaaa'), tenantAt(null, 'bbbb'), false)).toThrow(
    'is of version aaaa, but one runs bbbb:',
  );
});
