import {
  createContext,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { ApiError } from '../../../api/api-error.ts';
import { api, dataOf, onSessionEnd, sessionProof } from '../../../api/client.ts';
import { type components, type paths, permissionsOf } from '../../../api/schema.ts';
import { forgetPerson } from './forget.ts';

type Body = paths['/api/auth/session']['post']['responses'][200]['content']['application/json'];
export type Self = Body['user'];
export type Role = components['schemas']['User']['role'];

/** What a user must do whose session ended while the page was open: sign in, then replace an assigned password. */
export type ReauthenticationStep = 'signIn' | 'password';

interface State {
  /** undefined: not known yet; null: signed out. */
  self: Self | null | undefined;
  /** What the user must do before the kept page is shown again; undefined: nothing. */
  reauthentication: ReauthenticationStep | undefined;
  /** Whether the session that the page was opened with has ended. */
  expired: boolean;
  /** Why the signed-in user can't be determined. */
  error: unknown;
}

interface Session extends State {
  signIn(username: string, password: string): Promise<void>;
  changePassword(current: string, next: string, keepApiTokens: boolean): Promise<void>;
  signOut(): Promise<void>;
  /** Discards the kept page, so that any user can sign in. */
  leave(): void;
}

const signedOut: State = { self: null, reauthentication: undefined, expired: false, error: undefined };

const SessionContext = createContext<Session | undefined>(undefined);

/** The session: a cookie that scripts can't read, and its proof, which the page keeps. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>(() => ({ ...signedOut, self: sessionProof.get() ? undefined : null }));
  /** The user that the cached data and choices belong to. */
  const owner = useRef<string>(undefined);

  const leave = useCallback(() => {
    owner.current = undefined;
    setState(signedOut);
    forgetPerson();
  }, []);
  const enter = useCallback((self: Self) => {
    const stays = owner.current === self.id;
    if (owner.current !== undefined && !stays) forgetPerson();
    owner.current = self.id;
    setState((before) => ({ ...signedOut, self, reauthentication: stays ? nextStep(before, self) : undefined }));
  }, []);

  useEffect(() => {
    onSessionEnd(() =>
      setState((before) => (before.self ? { ...before, reauthentication: 'signIn' } : { ...signedOut, expired: true })),
    );
    let timer: ReturnType<typeof setTimeout>;
    const ask = (): void => {
      clearTimeout(timer);
      // The first page is rendered in parts, between which the browser reacts.
      const entered = (self: Self): void => startTransition(() => enter(self));
      dataOf(api.GET('/api/auth/me')).then(entered, (failure: ApiError) => {
        if (failure.status === 401 || failure.status === 403) {
          setState((before) => (before.self === undefined ? signedOut : before));
        } else {
          setState((before) => ({ ...before, error: failure }));
          timer = setTimeout(ask, 2_000);
        }
      });
    };
    if (sessionProof.get()) ask();
    // Signed in again in another tab: here too. Signed out there: here as well.
    const unwatch = sessionProof.watch((proof) => (proof ? ask() : leave()));
    return () => {
      clearTimeout(timer);
      unwatch();
    };
  }, [enter, leave]);

  const session = useMemo<Session>(() => {
    const open = ({ csrf_token, user }: Body): void => {
      sessionProof.set(csrf_token);
      enter(user);
    };
    return {
      ...state,
      signIn: async (username, password) =>
        open(await dataOf(api.POST('/api/auth/session', { body: { username, password } }))),
      changePassword: async (current_password, new_password, keep_api_tokens) =>
        open(await dataOf(api.PUT('/api/auth/session', { body: { current_password, new_password, keep_api_tokens } }))),
      async signOut() {
        await dataOf(api.DELETE('/api/auth/session')).catch((failure: ApiError) => {
          // It had already ended.
          if (failure.status !== 401) throw failure;
        });
        sessionProof.clear();
        leave();
      },
      leave,
    };
  }, [state, enter, leave]);

  return <SessionContext value={session}>{children}</SessionContext>;
}

/** An assigned password must be changed before the dialog closes, so that the page is kept; outside the dialog there is a page for it. */
const nextStep = ({ self, reauthentication }: State, next: Self): ReauthenticationStep | undefined =>
  reauthentication && next.must_change_password && !self?.must_change_password ? 'password' : undefined;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('No session around this');
  return session;
}

/** Whether a user may do everything that a role may. */
export function isAtLeast(self: Pick<Self, 'role'> | null | undefined, role: Role): boolean {
  const permissions: readonly string[] = self ? permissionsOf[self.role] : [];
  return permissionsOf[role].every((permission) => permissions.includes(permission));
}

/** Whether the signed-in user has a role: actions without permission are not offered. */
export const useHasRole = (role: Role): boolean => isAtLeast(useSession().self, role);
