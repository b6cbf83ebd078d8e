<?php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/**
 * Returns whether a delivery comes from Posthorn and is recent.
 *
 * @param string $secret the whole secret, "whsec_" included
 * @param string $signature the header X-Mail-Signature
 * @param string $body the request as it arrived; parse it afterwards
 */
function verify_webhook(string $secret, string $signature, string $body, ?int $now = null): bool
{
    $timestamp = '';
    $given = '';
    foreach (explode(',', $signature) as $part) {
        if (str_starts_with($part, 't=')) {
            $timestamp = substr($part, 2);
        }
        if (str_starts_with($part, 'v1=')) {
            $given = substr($part, 3);
        }
    }
    if (preg_match('/\A[0-9]{1,12}\z/', $timestamp) !== 1) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }

    $expected = hash_hmac('sha256', $timestamp . '.' . $body, $secret);
    return hash_equals($expected, $given);
}
