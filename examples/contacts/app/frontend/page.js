import { html } from 'hono/html';
import { peopleTable } from './people-table.js';

const COUNTS = { persons: 'People', tags: 'Tags', segments: 'Segments', events: 'Events', communications: 'Messages' };

/**
 * The only page. Without contents it says that they cannot be read.
 * @param {object} options
 * @param {import('../shared/environment.js').Environment} options.environment
 * @param {import('./logo.js').Logos} options.logos
 * @param {string} options.search
 * @param {number} options.number of the page, from 1
 * @param {number} options.rows a page
 * @param {{stats: Record<string, number>, persons: object[], total: number} | undefined} options.contents
 */
export const page = ({ environment, logos, contents, ...view }) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${environment.APP_NAME}</title>
    ${logos.icon && html`<link rel="icon" href="/logo-icon" />`}
    <link rel="stylesheet" href="/theme.css" />
    <link rel="stylesheet" href="/style.css" />
  </head>
  <body>
    <aside>
      ${logos.full && html`<img src="/logo" alt="" />`}
      <h1>${environment.APP_NAME}</h1>
      ${contents && counts(contents.stats)}
      <footer>Version ${environment.APP_VERSION}</footer>
    </aside>
    <main>${contents ? people(contents, view) : UNREADABLE}</main>
  </body>
</html>`;

const UNREADABLE = html`<p class="notice" role="alert">
  The contacts cannot be read at the moment. Please try again in a minute.
</p>`;

const counts = (stats) => html`<dl>
  ${Object.entries(COUNTS).map(([name, title]) => html`<div><dt>${title}</dt><dd>${stats[name]}</dd></div>`)}
</dl>`;

const people = ({ persons, total }, { search, number, rows }) => html`
  <form role="search">
    <input type="search" name="search" value="${search}" placeholder="Name, e-mail, phone or city" aria-label="Search" />
    <button>Search</button>
  </form>
  ${
    persons.length > 0
      ? peopleTable(persons)
      : html`<p class="notice">${search ? 'No one matches this search.' : 'There are no people yet.'}</p>`
  }
  <nav>
    ${number > 1 ? html`<a href="${address(search, number - 1)}" rel="prev">Previous</a>` : ''}
    <span>${total} found, page ${number} of ${Math.max(1, Math.ceil(total / rows))}</span>
    ${number * rows < total ? html`<a href="${address(search, number + 1)}" rel="next">Next</a>` : ''}
  </nav>`;

const address = (search, number) => `?${new URLSearchParams({ search, page: String(number) })}`;
