import { useState } from 'react';
import { useSearchParam } from '../../../ui/search-params.ts';
import { FirstStep } from './first-step.tsx';
import { returnAddress } from '../../shell/return-address.ts';

export default function SignInPage() {
  const [named] = useSearchParam('address');
  const [back] = useSearchParam('return');
  const [address, setAddress] = useState(named);
  return (
    <FirstStep
      {...{ address, setAddress }}
      onEntered={(account) => location.assign(returnAddress(back, account.address))}
    />
  );
}
