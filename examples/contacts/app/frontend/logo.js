/** A picture as the manager gives it: base64 in a `data:` address. */
const DATA = /^data:(image\/(?:png|jpeg|webp|svg\+xml));base64,([A-Za-z0-9+/]+={0,2})$/;

/**
 * The logos that the environment has. They are served as files of the frontend's own, so that its
 * Content-Security-Policy allows no other source of pictures.
 * @param {import('../shared/environment.js').Environment} environment
 * @returns {Logos}
 *
 * @typedef {{type: string, content: Buffer}} Logo
 * @typedef {{full?: Logo, icon?: Logo}} Logos
 */
export function readLogos(environment) {
  const icon = readLogo(environment.THEME_LOGO_ICON);
  const full = readLogo(environment.THEME_LOGO_FULL) ?? readLogo(environment.THEME_LOGO_CROPPED);
  return { ...(full && { full }), ...(icon && { icon }) };
}

/** What is no picture, set by hand perhaps, is left out. */
function readLogo(address) {
  const [, type, base64] = DATA.exec(address ?? '') ?? [];
  return type && { type, content: Buffer.from(base64, 'base64') };
}
