/** How much of a website is read, and for how long. Bytes are counted on the wire and again unpacked. */
export interface WebsiteLimits {
  pageBytes: number;
  stylesheetBytes: number;
  /** Of everything besides the page. */
  extraBytes: number;
  stylesheets: number;
  /** Of a separately fetched picture. */
  pictureBytes: number;
  redirects: number;
  /** For the page with all of its redirects. */
  pageMs: number;
  /** For everything besides the page. */
  extrasMs: number;
}

/**
 * Generous: the HTTP Archive's 90th percentile of 2024 is 0.15 MB of HTML and 0.3 MB of CSS a page, packed; both grow about
 * fivefold when unpacked.
 */
export const usualLimits: WebsiteLimits = {
  pageBytes: 5 * 1024 ** 2,
  stylesheetBytes: 2 * 1024 ** 2,
  extraBytes: 6 * 1024 ** 2,
  stylesheets: 24,
  pictureBytes: 2 * 1024 ** 2,
  redirects: 5,
  pageMs: 20_000,
  extrasMs: 20_000,
};
