/** The part of jsdom that we use. Its own types would add a browser's globals (`document`, `CryptoKey`) to every file. */
declare module 'jsdom' {
  export interface DomElement {
    readonly localName: string;
    readonly namespaceURI: string | null;
    readonly prefix: string | null;
    readonly id: string;
    readonly children: Iterable<DomElement>;
    readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
    textContent: string | null;
    getAttribute(name: string): string | null;
    querySelector(selectors: string): DomElement | null;
    querySelectorAll(selectors: string): Iterable<DomElement>;
  }

  export class JSDOM {
    constructor(html: string);
    readonly window: {
      DOMParser: new () => { parseFromString(text: string, type: string): { readonly documentElement: DomElement } };
      XMLSerializer: new () => { serializeToString(element: DomElement): string };
      close(): void;
    };
  }
}
