import { useSearchParams } from 'react-router';

/** The address with the value; it is left out while it is empty. The address is newer than what is rendered during a change. */
function queryWith(name: string, value: string): URLSearchParams {
  const query = new URLSearchParams(location.search);
  if (value === '') query.delete(name);
  else query.set(name, value);
  return query;
}

/** Keeps a value in the page's address without a navigation: that would cancel one which the user has just started. */
export function keepInAddress(name: string, value: string): void {
  const query = queryWith(name, value).toString();
  history.replaceState(history.state, '', `${location.pathname}${query && `?${query}`}${location.hash}`);
}

/** A value that the page's address keeps, so that a link or a reload shows the same; it is left out while it is the default. */
export function useQueryValue(name: string, byDefault = ''): [string, (value: string) => void] {
  const [query, setQuery] = useSearchParams();
  const set = (value: string): void =>
    setQuery(queryWith(name, value === byDefault ? '' : value), { replace: true, preventScrollReset: true });
  return [query.get(name) ?? byDefault, set];
}
