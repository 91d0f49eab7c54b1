import type { Fetched, FetchRequest } from '../../lib/outbound-http/fetch.ts';

/** Reads untrusted websites. */
export interface Websites {
  /**
   * Fetches a page and its stylesheets; nothing of it is run. An unreadable stylesheet, manifest or logo is listed in `omitted`
   * and does not fail the analysis.
   * @throws OutboundError for the page itself; the signal's reason when aborted
   */
  read(address: string, options: { signal: AbortSignal }): Promise<Website>;
  /**
   * Fetches a picture that a page names: its raw bytes.
   * @throws OutboundError; the signal's reason when aborted
   */
  picture(address: string, options: { signal: AbortSignal }): Promise<Buffer>;
}

/** What a page declares about its looks. All text is the website's own: data, never an instruction; nothing is sanitised. */
export interface Website extends PageFacts {
  /** The address after redirects. */
  finalUrl: string;
  /** The page's style sheets in document order, `@import`ed ones before the importing sheet. */
  stylesheets: Stylesheet[];
  /** Names of font families in the order of their first use, without generic ones (`serif`). */
  fonts: string[];
  /** What was omitted and why, a sentence each. */
  omitted: string[];
}

export interface Stylesheet {
  /** Address of a linked sheet; null for a `<style>` element. */
  url: string | null;
  /** Its `media` attribute, or that of the `@import`, such as `(prefers-color-scheme: dark)`; null for all. */
  media: string | null;
  text: string;
}

/** What the HTML alone shows. Addresses are absolute. */
export interface PageFacts {
  /** Its source, decoded. */
  html: string;
  title: string | null;
  /** `og:site_name` or `application-name`. */
  siteName: string | null;
  description: string | null;
  /** Colours the page names for the browser's own surfaces, as written. */
  themeColors: ThemeColor[];
  /** Best first: pictures called a logo, then icons, then preview pictures. */
  logos: LogoCandidate[];
}

export interface ThemeColor {
  value: string;
  /** `media` of the meta element; null for all. */
  media: string | null;
  from: 'theme-color' | 'tile-color' | 'mask-icon' | 'manifest';
}

export interface LogoCandidate {
  kind: 'logo' | 'icon' | 'preview';
  /** Null for an inline SVG. A `data:` address stays unchanged. */
  url: string | null;
  /** An SVG's source if it is inline, in a `data:` address, or was fetched; not sanitised. */
  svg: string | null;
  /** Width as the page declares it (`sizes`, `width`), in pixels; null if it does not. */
  width: number | null;
}

/**
 * How much of a website is read, and for how long. Bytes are counted on the wire and again unpacked. Generous: the HTTP
 * Archive's 90th percentile of 2024 is 0.15 MB of HTML and 0.3 MB of CSS a page, packed; both grow about fivefold when unpacked.
 */
export const usualLimits = {
  pageBytes: 5 * 1024 ** 2,
  stylesheetBytes: 2 * 1024 ** 2,
  /** Of everything besides the page. */
  extraBytes: 6 * 1024 ** 2,
  stylesheets: 24,
  /** Of a separately fetched picture. */
  pictureBytes: 2 * 1024 ** 2,
  redirects: 5,
  /** For the page with all of its redirects. */
  pageMs: 20_000,
  /** For everything besides the page. */
  extrasMs: 20_000,
};
export type WebsiteLimits = typeof usualLimits;

/** Fetches a part of a page. What can't be fetched is reported as omitted, and undefined. @throws the signal's reason */
export type FetchPart = (
  name: 'Stylesheet' | 'Manifest' | 'Logo',
  address: string,
  request: Pick<FetchRequest, 'accept' | 'limit' | 'admit'>,
) => Promise<Fetched | undefined>;
