import type { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { foreignLine } from '../../lib/text/foreign-text.ts';
import { type HealthProbe, jsonOf, type Probe, probeHealth, probePage } from './probe.ts';
import {
  type BulkImportAnswer,
  bulkImportAnswer,
  type DuplicatesAnswer,
  duplicatesAnswer,
  type RemovedBatchAnswer,
  removedBatchAnswer,
  type TenantPersonsCount,
  type TenantStats,
  tenantPersonsCount,
  tenantStats,
} from './schema.ts';
import {
  type Address,
  type CallOptions,
  createTransport,
  type TenantAnswer,
  type TenantRequest,
  Unreachable,
} from './transport.ts';

/** A call that presents the tenant's key. */
export interface AuthorizedCall extends CallOptions {
  apiKey: string;
}

/** A file in the tenant's import directory, and its columns. */
export interface FileToImport {
  /** As the unit sees it. */
  file_path: string;
  /** Column → person field, `custom_fields.<name>` or `skip`. */
  mappings: Readonly<Record<string, string>>;
}

/** A request to `POST /api/persons/bulk-import`. A part that is sent again is identical. */
export interface BulkImport extends FileToImport {
  batch_id: string;
  list_name: string;
  skip_duplicates: boolean;
  update_existing: boolean;
  tags: readonly string[];
  /** A batch comes in several files: this one's number, from 1, and the number of the batch's earlier rows. */
  part: number;
  row_offset: number;
  import_source: string;
  import_filename: string;
  /** ISO 8601; the same for the whole batch. */
  import_date: string;
}

/** A tenant's answer that is no success. */
export class TenantRefusal extends AppError {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super('tenant_error', message);
    this.statusCode = statusCode;
  }
}

/** A tenant's own HTTP API, as the manager uses it. */
export interface TenantApi {
  /** Whether a page answers (2xx or 3xx); never throws except the signal's own reason. */
  probe(address: Address, path: string, options: CallOptions): Promise<Probe>;
  /** Whether the API's health page reports healthy; never throws except the signal's own reason. */
  health(address: Address, path: string, options: CallOptions): Promise<HealthProbe>;
  /** @throws AppError tenant_unreachable, tenant_error */
  stats(address: Address, call: AuthorizedCall): Promise<TenantStats>;
  /** @throws AppError tenant_unreachable, tenant_error */
  personsCount(address: Address, call: AuthorizedCall): Promise<TenantPersonsCount>;
  /** @throws AppError tenant_unreachable, tenant_error (TenantRefusal where it refused) */
  bulkImport(address: Address, body: BulkImport, call: AuthorizedCall): Promise<BulkImportAnswer>;
  /** Optional for applications: one without it refuses with 404. @throws AppError tenant_unreachable, tenant_error */
  checkDuplicates(address: Address, body: FileToImport, call: AuthorizedCall): Promise<DuplicatesAnswer>;
  /** Optional for applications: one without it refuses with 404. @throws AppError tenant_unreachable, tenant_error */
  removeBatch(address: Address, batchId: string, call: AuthorizedCall): Promise<RemovedBatchAnswer>;
  /** A request as a user's; redirects are not followed. @throws Unreachable; the signal's reason */
  send(address: Address, request: TenantRequest): Promise<TenantAnswer>;
  /** Ends all connections. */
  close(): Promise<void>;
}

const answerBytes = 1024 * 1024;
/** Three thousand characters for each row of a part (five thousand), if all are refused. */
const bulkAnswerBytes = 16 * answerBytes;
const quotedDetail = 200;
const bulkImportPath = '/api/persons/bulk-import';

export function createTenantApi(): TenantApi {
  const transport = createTransport();

  async function ask<S extends z.ZodType>(
    address: Address,
    { method = 'GET', path, body }: { method?: 'GET' | 'POST' | 'DELETE'; path: string; body?: unknown },
    call: AuthorizedCall,
    schema: S,
    maxBytes = answerBytes,
  ): Promise<z.output<S>> {
    const { apiKey, timeoutMs, signal } = call;
    const request = {
      method,
      path,
      headers: {
        'x-api-key': apiKey,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs,
      signal,
      maxBytes,
    };
    const answer = await transport.call(address, request).catch((error: unknown) => {
      if (!(error instanceof Unreachable)) throw error;
      throw new AppError('tenant_unreachable', `The tenant could not be asked for ${path}: ${error.message}`);
    });
    if (answer.statusCode !== 200) {
      const said = detailOf(jsonOf(answer), apiKey);
      throw new TenantRefusal(
        answer.statusCode,
        `The tenant answered ${answer.statusCode} to ${path}${said && `: ${said}`}`,
      );
    }
    if (answer.cut)
      throw new AppError('tenant_error', `The tenant’s answer to ${path} is longer than ${maxBytes} bytes`);
    const parsed = schema.safeParse(jsonOf(answer));
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
    throw new AppError(
      'tenant_error',
      `The tenant’s answer to ${path} does not match the contract: ${where}${issue?.message ?? ''}`,
    );
  }

  return {
    probe: (address, path, options) => probePage(transport, address, path, options),
    health: (address, path, options) => probeHealth(transport, address, path, options),
    stats: (address, call) => ask(address, { path: '/api/stats' }, call, tenantStats),
    personsCount: (address, call) => ask(address, { path: '/api/persons/count' }, call, tenantPersonsCount),
    bulkImport: (address, body, call) =>
      ask(address, { method: 'POST', path: bulkImportPath, body }, call, bulkImportAnswer, bulkAnswerBytes),
    checkDuplicates: (address, body, call) =>
      ask(address, { method: 'POST', path: `${bulkImportPath}/check`, body }, call, duplicatesAnswer),
    removeBatch: (address, batchId, call) =>
      ask(
        address,
        { method: 'DELETE', path: `${bulkImportPath}/${encodeURIComponent(batchId)}` },
        call,
        removedBatchAnswer,
      ),
    send: (address, request) => transport.call(address, request),
    close: () => transport.close(),
  };
}

/** The `detail` of a tenant's error answer, short; empty if it repeats the key. */
function detailOf(body: unknown, apiKey: string): string {
  if (typeof body !== 'object' || body === null || !('detail' in body) || typeof body.detail !== 'string') return '';
  return body.detail.includes(apiKey) ? '' : foreignLine(body.detail.slice(0, quotedDetail));
}
