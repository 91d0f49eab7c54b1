/** What is used of CanvasKit. Its own types bring a browser's globals to every file of the house, where they are not. */
declare module 'canvaskit-wasm' {
  interface ImageInfo {
    width: number;
    height: number;
    colorType: unknown;
    alphaType: unknown;
    colorSpace: unknown;
  }

  interface Image {
    width(): number;
    height(): number;
    /** @returns null where it can't be unpacked */
    readPixels(left: number, top: number, info: ImageInfo): Uint8Array | null;
  }

  interface CanvasKit {
    readonly ColorType: { readonly RGBA_8888: unknown };
    readonly AlphaType: { readonly Unpremul: unknown };
    readonly ColorSpace: { readonly SRGB: unknown };
    /** @returns null where it is no picture */
    MakeImageFromEncoded(content: Uint8Array): Image | null;
  }

  const CanvasKitInit: () => Promise<CanvasKit>;
  export = CanvasKitInit;
}
