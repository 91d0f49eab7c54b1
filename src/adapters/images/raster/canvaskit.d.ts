/** The part of CanvasKit that we use. Its own types would add a browser's globals to every file. */
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
    /** @returns null when it can't be decoded */
    readPixels(left: number, top: number, info: ImageInfo): Uint8Array | null;
  }

  interface CanvasKit {
    readonly ColorType: { readonly RGBA_8888: unknown };
    readonly AlphaType: { readonly Unpremul: unknown };
    readonly ColorSpace: { readonly SRGB: unknown };
    /** @returns null when it is not a picture */
    MakeImageFromEncoded(content: Uint8Array): Image | null;
  }

  const CanvasKitInit: () => Promise<CanvasKit>;
  export = CanvasKitInit;
}
