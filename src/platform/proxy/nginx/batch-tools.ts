import type { Logger } from '../../../kernel/logger.ts';
import type { CertificateFiles } from '../certificate-files.ts';
import type { SiteFiles } from '../site-files.ts';
import type { Change } from './change.ts';
import type { CommonFiles } from './common-files.ts';
import type { NginxProgram } from './nginx-program.ts';
import type { Layout } from './options.ts';
import type { Proof } from './proof.ts';

/** What a batch works with. */
export interface BatchTools {
  layout: Layout;
  program: NginxProgram;
  files: SiteFiles;
  common: CommonFiles;
  certificates: CertificateFiles;
  proof: Proof;
  /** How long a reload may take now. */
  proofTimeoutMs(): number;
  logger: Logger;
}

/** A change that is not in service yet, with the site's file as it is. */
export interface Pending {
  change: Change;
  before: string | undefined;
}
