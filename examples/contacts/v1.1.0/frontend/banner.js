import { html } from 'hono/html';

/** What is new in this version. @param {import('../shared/environment.js').Environment} environment */
export const banner = (environment) => html`<p class="notice">
  New in ${environment.APP_VERSION}: see when somebody was last contacted.
</p>`;
