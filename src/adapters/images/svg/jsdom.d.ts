/** The part of jsdom that we use. Its own types would add a browser's globals (`document`, `CryptoKey`) to every file. */
declare module 'jsdom' {
  export interface DomAttribute {
    readonly name: string;
    readonly value: string;
  }

  export interface DomElement {
    readonly localName: string;
    readonly namespaceURI: string | null;
    readonly prefix: string | null;
    readonly id: string;
    readonly children: Iterable<DomElement>;
    readonly attributes: Iterable<DomAttribute>;
    textContent: string | null;
    getAttribute(name: string): string | null;
    querySelector(selectors: string): DomElement | null;
    querySelectorAll(selectors: string): Iterable<DomElement>;
  }

  export interface DomWindow {
    DOMParser: new () => { parseFromString(text: string, type: string): { readonly documentElement: DomElement } };
    XMLSerializer: new () => { serializeToString(element: DomElement): string };
    close(): void;
  }

  export class JSDOM {
    constructor(html: string);
    readonly window: DomWindow;
  }
}
