import { useState } from 'react';

const narrow = matchMedia('(max-width: 720px)');
let chosen: boolean | undefined;

/** Whether long lines of logs are wrapped: as the user last chose for any log, at first on narrow screens only. */
export function useWrap(): [boolean, (wrap: boolean) => void] {
  const [wrap, setWrap] = useState(() => chosen ?? narrow.matches);
  const choose = (value: boolean): void => {
    chosen = value;
    setWrap(value);
  };
  return [wrap, choose];
}
