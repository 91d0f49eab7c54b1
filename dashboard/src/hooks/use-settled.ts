import { useEffect, useState } from 'react';

/** The value as it was when it last stayed the same for a while: what the user has finished typing. */
export function useSettled<T>(value: T, afterMs = 500): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
