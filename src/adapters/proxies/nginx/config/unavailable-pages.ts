import type { SiteRole } from '../../proxy.ts';

/** What a visitor sees when nginx has no answer from the application. */
interface Outage {
  status: 502 | 503 | 504;
  title: string;
  text: string;
  code: string;
}

/** Retry-After, in seconds. */
const retryAfter = 10;

const outages: readonly Outage[] = [
  {
    status: 502,
    title: 'Not available right now',
    text: 'The application does not answer. It may be starting. Please try again in a moment.',
    code: 'application_unreachable',
  },
  {
    status: 503,
    title: 'Not available right now',
    text: 'The application takes no requests at the moment. Please try again in a moment.',
    code: 'application_unavailable',
  },
  {
    status: 504,
    title: 'No answer in time',
    text: 'The application took too long to answer. Please try again in a moment.',
    code: 'application_timeout',
  },
];

/** A self-contained page. It must not contain single quotes, backslashes or `$`: it becomes one word of nginx. */
const page = ({ status, title, text }: Outage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9da7b3; } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 32rem; padding: 2rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
small { color: var(--soft); }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<small>${status}</small>
</main>
</body>
</html>
`;

/** The format of the API's own errors; the time is nginx's. */
const json = ({ status, title, text, code }: Outage): string =>
  `{"error":"${title}","detail":"${text}","code":"${code}","status":${status},"timestamp":"$time_iso8601"}\n`;

/** The answers instead of the application's, included into a server: they need no file that a worker would have to read. */
export function unavailableConfig(role: SiteRole): string {
  const [type, body] = role === 'frontend' ? ['text/html', page] : ['application/json', json];
  const location = (outage: Outage): string => `error_page ${outage.status} @tenantry_${outage.status};
location @tenantry_${outage.status} {
  default_type ${type};
  add_header Retry-After ${retryAfter} always;
  add_header Cache-Control no-store always;
  return ${outage.status} '${body(outage)}';
}
`;
  return `# Only when nginx has no answer: the application's own answers are never replaced.
proxy_intercept_errors off;
${outages.map(location).join('')}`;
}
