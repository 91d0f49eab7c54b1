import { describeComposedProxy } from '../../world/composed-proxy.ts';

describeComposedProxy('nginx');
