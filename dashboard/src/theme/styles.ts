// Fonts and element defaults of every page; base.css takes its values from tokens.css.
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './base.css';
