/** Told after somebody's access may have ended or shrunk: what was let in before is to be looked at again. */
export type AccessChanged = () => void;
