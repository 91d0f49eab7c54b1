type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface SpecifiedRoute {
  method: Method;
  path: string;
}

type Row = `${Method} /${string}`;

const routes = (rows: readonly Row[]): SpecifiedRoute[] =>
  rows.map((row) => {
    const [method, path] = row.split(' ') as [Method, string];
    return { method, path };
  });

/** Every HTTP route that the specification and its decisions name. */
export const specifiedRoutes: readonly SpecifiedRoute[] = [
  ...routes([
    'POST /api/auth/login',
    'GET /api/auth/me',
    'POST /api/auth/logout',
    'POST /api/auth/change-password',
    'GET /api/auth/tokens',
    'POST /api/auth/tokens',
    'DELETE /api/auth/tokens/{id}',
    'GET /api/users/{id}/tokens',
    'DELETE /api/users/{id}/tokens/{token_id}',
    'GET /api/users',
    'POST /api/users',
    'GET /api/users/{id}',
    'PUT /api/users/{id}',
    'DELETE /api/users/{id}',

    'GET /api/tenants',
    'GET /api/tenants/{id}',
    'POST /api/tenants',
    'PUT /api/tenants/{id}',
    'DELETE /api/tenants/{id}',
    'GET /api/tenants/{id}/config',
    'PUT /api/tenants/{id}/config',
    'POST /api/tenants/{id}/config/regenerate-env',
    'GET /api/tenants/{id}/theme',
    'PUT /api/tenants/{id}/theme',
    'GET /api/tenants/{id}/theme/assets/{name}',
    'POST /api/tenants/{id}/theme/analyze',
    'GET /api/tenants/{id}/theme/analyses',
    'GET /api/tenants/{id}/theme/suggestions',
    'POST /api/tenants/{id}/theme/apply-suggestion',

    'POST /api/tenants/{id}/deploy',
    'GET /api/tenants/{id}/deployments',
    'GET /api/deployments/{deployment_id}',
    'GET /api/deployments/{deployment_id}/logs',
    'POST /api/deployments/{deployment_id}/cancel',
    'POST /api/tenants/{id}/start',
    'POST /api/tenants/{id}/stop',
    'POST /api/tenants/{id}/restart',
    'GET /api/tenants/{id}/services/status',
    'POST /api/tenants/{id}/services/start',
    'POST /api/tenants/{id}/services/stop',

    'GET /api/tenants/{id}/health',
    'POST /api/tenants/{id}/health-check',
    'GET /api/tenants/{id}/logs',
    'GET /api/logs',
    'GET /api/tenants/{id}/remote/stats',
    'GET /api/tenants/{id}/remote/persons/count',
    'POST /api/tenants/{id}/remote/backup',
    'GET /api/tenants/{id}/backups',
    'POST /api/tenants/{id}/backups',
    'GET /api/tenants/{id}/backups/{backup_id}/download',
    'POST /api/tenants/{id}/backups/{backup_id}/restore',
    'DELETE /api/tenants/{id}/backups/{backup_id}',

    'GET /api/upgrades',
    'POST /api/upgrades',
    'GET /api/upgrades/{id}',
    'POST /api/upgrades/{id}/pause',
    'POST /api/upgrades/{id}/resume',
    'POST /api/upgrades/{id}/cancel',

    'POST /api/proxy/reload',
    'POST /api/proxy/test',
    'GET /api/proxy/configs',
    'GET /api/ports',
    'GET /api/ports/next-available',
    'GET /api/settings',
    'GET /api/settings/{key}',
    'PUT /api/settings/{key}',

    'GET /healthz',
    'GET /readyz',
    'GET /metrics',
    'GET /api/openapi.json',
    'GET /api/docs',
  ]),
  ...routes(['GET /api/tenants/{id}/version', 'POST /api/tenants/{id}/upgrade']),
  ...routes([
    'POST /api/tenants/{id}/list-loader/upload',
    'GET /api/tenants/{id}/list-loader/history',
    'GET /api/tenants/{id}/list-loader/{job_id}/preview',
    'POST /api/tenants/{id}/list-loader/{job_id}/analyze',
    'GET /api/tenants/{id}/list-loader/{job_id}/mappings',
    'PUT /api/tenants/{id}/list-loader/{job_id}/mappings',
    'POST /api/tenants/{id}/list-loader/{job_id}/validate',
    'GET /api/tenants/{id}/list-loader/{job_id}/errors.csv',
    'POST /api/tenants/{id}/list-loader/{job_id}/execute',
    'GET /api/tenants/{id}/list-loader/{job_id}/status',
    'POST /api/tenants/{id}/list-loader/{job_id}/cancel',
    'POST /api/tenants/{id}/list-loader/{job_id}/apply-template',
    'GET /api/import-templates',
    'POST /api/import-templates',
    'GET /api/import-templates/{id}',
    'PUT /api/import-templates/{id}',
    'DELETE /api/import-templates/{id}',
    'POST /api/tenants/{id}/list-loader/{job_id}/undo',
  ]),
];
