/** Reads untrusted websites. */
export interface Websites {
  /**
   * The normalized address, without a request: refuses addresses that are visibly forbidden.
   * @throws OutboundError bad_address, blocked
   */
  check(address: string): URL;
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
  title: string | null;
  /** `og:site_name` or `application-name`. */
  siteName: string | null;
  description: string | null;
  /** `lang` of the page, unchanged. */
  language: string | null;
  /** Colours the page names for the browser's own surfaces, as written. */
  themeColors: ThemeColor[];
  /** Best first: pictures called a logo, then icons, then preview pictures. */
  logos: LogoCandidate[];
  /** Whether `<html>` or `<body>` has the name of a dark theme (`class="dark"`, `data-theme="dark"`). */
  dark: boolean;
  /** The elements that show a brand's colours, in document order, at most 600. */
  elements: PageElement[];
  /** The start of the visible text, at most 4,000 characters, spaces collapsed. */
  text: string;
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

/** An element as style sheets see it: enough to match simple selectors. */
export interface PageElement {
  /** Its role on the page; the closest enclosing one counts. `other` has a style or colour attribute of its own. */
  role: 'body' | 'header' | 'nav' | 'hero' | 'main' | 'footer' | 'button' | 'link' | 'heading' | 'other';
  /** In lower case. */
  tag: string;
  id: string | null;
  classes: string[];
  /** The `style` attribute; also `bgcolor`, `fill` and the like, written as declarations. */
  style: string | null;
  /** Its landmark. */
  within: 'header' | 'nav' | 'hero' | 'main' | 'footer' | null;
}
