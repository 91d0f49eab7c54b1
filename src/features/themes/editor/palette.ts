/** The colours that every tenant application is given, `#RRGGBB` in upper case. */
export interface ThemeColours {
  primary: string;
  secondary: string;
  accent: string;
  text: string;
  sidebar: string;
}

/** The colours of a tenant that has not chosen any; each text/background pair of them passes WCAG AA. */
export const defaultColours: ThemeColours = {
  primary: '#1D4ED8',
  secondary: '#475569',
  accent: '#B45309',
  text: '#1F2937',
  sidebar: '#0F172A',
};

/** The steps of a scale of tints and shades in Tailwind's manner, lightest first. */
export const scaleSteps = [50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950] as const;
