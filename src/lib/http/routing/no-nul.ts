import { AppError, type Issue } from '../../errors.ts';

/**
 * Rejects NUL characters anywhere in a request: databases, file names and arguments end at them, so
 * that what was checked would not be what is used.
 * @throws AppError validation_error that names each field
 */
export function assertNoNul(value: unknown): void {
  const issues: Issue[] = [];
  // A list instead of recursion: the depth is the sender's choice.
  const open: [path: string, value: unknown][] = [['', value]];
  for (let at = open.pop(); at; at = open.pop()) {
    const [path, inner] = at;
    if (typeof inner === 'string' && inner.includes('\0')) issues.push({ path, message: 'Must not contain NUL' });
    if (typeof inner !== 'object' || inner === null) continue;
    for (const [key, next] of Object.entries(inner)) {
      const name = key.replaceAll('\0', '\uFFFD');
      if (name !== key) issues.push({ path: name, message: 'Must not contain NUL' });
      open.push([path === '' ? name : `${path}.${name}`, next]);
    }
  }
  if (issues.length > 0) throw new AppError('validation_error', 'NUL characters are not allowed', { issues });
}
