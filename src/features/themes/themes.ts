import type { Route } from '../../lib/http/routing/route.ts';
import { themeRoutes } from './routes.ts';
import { createEditor, type ThemeEditor, type ThemeEditorDeps } from './theme-editor.ts';

export { createThemes } from './service.ts';

/** Changes of themes, and their routes. */
export function createThemeEditor(deps: ThemeEditorDeps): ThemeEditor & { routes: Route[] } {
  const editor = createEditor(deps);
  return { ...editor, routes: themeRoutes(deps.themes, editor) };
}
