import { messageOf } from '../../lib/errors.ts';
import { serveTask } from '../../lib/workers/serve.ts';
import { type ManifestResult, type ManifestTask, parseManifest } from './manifest.ts';

/** Entry point of the worker thread that parses a repository's manifest. */
serveTask<ManifestTask, never, ManifestResult>(async ({ text, needs }) => {
  try {
    return { manifest: parseManifest(text, needs) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
});
