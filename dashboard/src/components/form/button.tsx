import type { ButtonHTMLAttributes } from 'react';
import { Link, type LinkProps } from 'react-router';
import styles from '../components.module.css';
import { Icon, type IconName } from '../layout/icon.tsx';

type ButtonVariant = 'plain' | 'primary' | 'danger' | 'quiet';
const classOf = (variant: ButtonVariant): string => `${styles.button} ${variant === 'plain' ? '' : styles[variant]}`;

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { variant?: ButtonVariant };

export const Button = ({ variant = 'plain', type = 'button', ...rest }: ButtonProps) => (
  <button {...rest} type={type} className={classOf(variant)} />
);

interface IconButtonProps extends ButtonProps {
  /** The accessible name, also the tooltip. */
  label: string;
  icon: IconName;
}

/** A button whose icon everyone knows, where there is no room for words. */
export const IconButton = ({ label, icon, variant = 'plain', type = 'button', ...rest }: IconButtonProps) => (
  <button {...rest} type={type} className={`${classOf(variant)} ${styles.iconOnly}`} aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
);

export const ButtonLink = ({ variant = 'plain', ...rest }: LinkProps & { variant?: ButtonVariant }) => (
  <Link {...rest} className={classOf(variant)} />
);

/** A link out of the dashboard, in a tab of its own. */
export const OutLink = ({
  variant = 'plain',
  href,
  children,
}: {
  variant?: ButtonVariant;
  href: string;
  children: React.ReactNode;
}) => (
  <a className={classOf(variant)} href={href} target="_blank" rel="noreferrer">
    {children}
  </a>
);
