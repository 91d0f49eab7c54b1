import type { Logger } from '../../../../lib/logger.ts';
import type { CertificateFiles } from '../../certificate-files.ts';
import type { SiteFiles } from '../../site-files.ts';
import type { CommonFiles } from '../config/common-files.ts';
import type { NginxProgram } from '../nginx-program.ts';
import type { Layout } from '../options.ts';
import type { Proof } from '../verify/proof.ts';
import type { Change } from './change.ts';

/** The parts a batch works with. */
export interface BatchTools {
  layout: Layout;
  program: NginxProgram;
  files: SiteFiles;
  common: CommonFiles;
  certificates: CertificateFiles;
  proof: Proof;
  /** The current timeout of a reload. */
  proofTimeoutMs(): number;
  logger: Logger;
}

/** A change that is not in service yet, with the site's current file. */
export interface Pending {
  change: Change;
  before: string | undefined;
}
