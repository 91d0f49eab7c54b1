import { isScalar, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { messageOf } from '../../lib/errors.ts';
import { serveTask } from '../../lib/workers/serve.ts';
import { fileName, type Manifest, type ManifestResult, type ManifestTask, manifest } from './manifest.ts';

/** A hostile manifest may have thousands of unknown keys. */
const maxProblemLength = 2_000;

/** Entry point of the worker thread that parses a repository's manifest. */
serveTask<ManifestTask, never, ManifestResult>(async ({ text, needs }) => {
  try {
    return { manifest: parseManifest(text, needs) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
});

/** The pure part of `readManifest`. @throws Error as `readManifest` */
function parseManifest(text: string, needs: 'image' | 'start'): Manifest {
  const result = manifest.safeParse(parseYaml(text));
  if (!result.success) {
    const problems = result.error.issues.map(
      (issue) => `${issue.path.join('.') || 'the document'}: ${reasonOf(issue)}`,
    );
    throw new Error(`${fileName}: ${problems.join('; ').slice(0, maxProblemLength)}`);
  }
  for (const role of ['api', 'frontend'] as const) {
    if (result.data.units[role][needs] === undefined) {
      throw new Error(
        `${fileName}: units.${role}.${needs}: required by the configured runtime, which runs units from their ${needs}`,
      );
    }
  }
  return result.data;
}

/** For a key that breaks a rule, the rule. */
function reasonOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? issue.issues.map(({ message }) => message).join(', ') : issue.message;
}

function parseYaml(text: string): unknown {
  try {
    // The library's own check for unique keys takes quadratic time.
    const document = parseDocument(text, { uniqueKeys: false });
    const [error] = document.errors;
    if (error) throw error;
    visit(document, {
      Map(_, { items }) {
        const seen = new Set<unknown>();
        for (const { key } of items) {
          const name = isScalar(key) ? key.value : key;
          if (seen.has(name)) throw new Error(`the key ${JSON.stringify(name)} occurs twice in one map`);
          seen.add(name);
        }
      },
    });
    return document.toJS();
  } catch (error) {
    throw new Error(`${fileName}: ${messageOf(error).split('\n')[0]}`);
  }
}
