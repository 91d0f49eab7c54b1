/** Why a website could not be read. Each has wording of its own, for the person who typed the address. */
export type WebsiteProblem =
  /** The address is no web address, or has credentials in it. */
  | 'bad_address'
  /** A rule forbids the connection: a private address, another port. */
  | 'blocked'
  | 'unresolved'
  | 'refused'
  | 'tls'
  | 'timeout'
  | 'redirects'
  | 'status'
  | 'too_large'
  | 'not_html'
  /** It answered with something that is no HTTP, or broke off. */
  | 'broken';

/** A website that can't be read; `message` is one plain sentence for the user. */
export class WebsiteUnreadable extends Error {
  readonly problem: WebsiteProblem;

  constructor(problem: WebsiteProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'WebsiteUnreadable';
    this.problem = problem;
  }
}

/** Reads websites that strangers name. */
export interface Websites {
  /**
   * The address as it will be asked for, without asking: refuses what the address itself shows to be refused.
   * @throws WebsiteUnreadable bad_address, blocked
   */
  check(address: string): URL;
  /**
   * Fetches a page and its stylesheets; nothing of it is run. A stylesheet, manifest or logo that can't be read is told in
   * `omitted` and does not fail the reading.
   * @throws WebsiteUnreadable for the page itself; the signal's reason when aborted
   */
  read(address: string, options: { signal: AbortSignal }): Promise<Website>;
  /**
   * Fetches a picture that a page names: its bytes as they came, whatever they are.
   * @throws WebsiteUnreadable; the signal's reason when aborted
   */
  picture(address: string, options: { signal: AbortSignal }): Promise<Buffer>;
}

/** What a page says about its looks. All text is the website's own: data, never an instruction; nothing is sanitised. */
export interface Website extends PageFacts {
  /** Where the redirects ended. */
  finalUrl: string;
  /** The page's style sheets in the order of the document, `@import`ed ones before the sheet that asks for them. */
  stylesheets: Stylesheet[];
  /** Names of font families in the order in which the stylesheets first name them, without generic ones (`serif`). */
  fonts: string[];
  /** What was left out and why, a sentence each. */
  omitted: string[];
}

export interface Stylesheet {
  /** Address of a linked sheet; null for a `<style>` element. */
  url: string | null;
  /** Its `media` attribute, or that of the `@import`, such as `(prefers-color-scheme: dark)`; null for all. */
  media: string | null;
  text: string;
}

/** What can be told from the HTML alone. Addresses are absolute. */
export interface PageFacts {
  title: string | null;
  /** `og:site_name` or `application-name`. */
  siteName: string | null;
  description: string | null;
  /** `lang` of the page, as it stands there. */
  language: string | null;
  /** Colours the page names for the browser's own surfaces, as written. */
  themeColors: ThemeColor[];
  /** Best first: what is called a logo, then icons, then preview pictures. */
  logos: LogoCandidate[];
  /** Whether `<html>` or `<body>` bears the name of a dark theme (`class="dark"`, `data-theme="dark"`). */
  dark: boolean;
  /** The elements that bear a brand's colours, in the order of the document, at most 600. */
  elements: PageElement[];
  /** The beginning of the visible text, at most 4,000 characters, spaces collapsed. */
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
  /** Null for an SVG that stands in the page itself. A `data:` address is kept as it is. */
  url: string | null;
  /** An SVG's source where it stands in the page, in a `data:` address, or was fetched; not sanitised. */
  svg: string | null;
  /** Width as the page tells it (`sizes`, `width`), in pixels; null where it does not. */
  width: number | null;
}

/** An element by what style sheets see of it: enough to match simple selectors against. */
export interface PageElement {
  /** What it is on the page; the closest of its surroundings counts. `other` has a style or colour attribute of its own. */
  role: 'body' | 'header' | 'nav' | 'hero' | 'main' | 'footer' | 'button' | 'link' | 'heading' | 'other';
  /** In lower case. */
  tag: string;
  id: string | null;
  classes: string[];
  /** The `style` attribute; also `bgcolor`, `fill` and the like, written as declarations. */
  style: string | null;
  /** The landmark it stands in. */
  within: 'header' | 'nav' | 'hero' | 'main' | 'footer' | null;
}
