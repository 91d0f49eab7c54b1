import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { api, dataOf, onSessionEnd, sessionProof } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';
import type { components, paths } from '../api/schema.ts';

type Body = paths['/api/auth/session']['post']['responses'][200]['content']['application/json'];
export type Self = Body['user'];
export type Role = components['schemas']['User']['role'];

interface Session {
  /** undefined: not known yet; null: nobody. */
  self: Self | null | undefined;
  /** Whether somebody was signed in until a moment ago. */
  expired: boolean;
  /** Why it can't be told who is signed in. */
  error: unknown;
  signIn(username: string, password: string): Promise<void>;
  changePassword(current: string, next: string): Promise<void>;
  signOut(): Promise<void>;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** Who is signed in: a cookie that scripts can't read, and its proof, which the page keeps. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [self, setSelf] = useState<Self | null | undefined>(() => (sessionProof.get() ? undefined : null));
  const [expired, setExpired] = useState(false);
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    onSessionEnd(() => {
      sessionProof.clear();
      setExpired(true);
      setSelf(null);
    });
    if (!sessionProof.get()) return;
    let timer: ReturnType<typeof setTimeout>;
    const ask = (): void => {
      dataOf(api.GET('/api/auth/me')).then(
        (me) => {
          setError(undefined);
          setSelf(me);
        },
        (failure: { status: number }) => {
          if (failure.status === 401 || failure.status === 403) {
            sessionProof.clear();
            setSelf(null);
          } else {
            setError(failure);
            timer = setTimeout(ask, 2_000);
          }
        },
      );
    };
    ask();
    return () => clearTimeout(timer);
  }, []);

  const session = useMemo<Session>(() => {
    const open = ({ csrf_token, user }: Body): void => {
      sessionProof.set(csrf_token);
      setExpired(false);
      setSelf(user);
    };
    return {
      self,
      expired,
      error,
      signIn: async (username, password) =>
        open(await dataOf(api.POST('/api/auth/session', { body: { username, password } }))),
      changePassword: async (current_password, new_password) =>
        open(await dataOf(api.PUT('/api/auth/session', { body: { current_password, new_password } }))),
      async signOut() {
        await dataOf(api.DELETE('/api/auth/session'));
        sessionProof.clear();
        setExpired(false);
        setSelf(null);
        queryClient.clear();
      },
    };
  }, [self, expired, error]);

  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('No session around this');
  return session;
}

const ranks: readonly Role[] = ['viewer', 'operator', 'admin'];

/** Whether somebody may do what needs a role. */
export const isAtLeast = (self: Pick<Self, 'role'> | null | undefined, role: Role): boolean =>
  self ? ranks.indexOf(self.role) >= ranks.indexOf(role) : false;

/** Whether who is signed in may do what needs a role: what he may not do is not offered. */
export const useMay = (role: Role): boolean => isAtLeast(useSession().self, role);
