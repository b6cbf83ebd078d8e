require "openssl"

TOLERANCE_SECONDS = 300

# Returns whether a delivery comes from Posthorn and is recent. secret is the
# whole secret, "whsec_" included; signature is the header X-Mail-Signature; body
# is the request as it arrived, to be parsed afterwards.
def verify_webhook(secret, signature, body, now = Time.now.to_i)
  timestamp = ""
  given = ""
  signature.b.split(",").each do |part|
    timestamp = part.delete_prefix("t=") if part.start_with?("t=")
    given = part.delete_prefix("v1=") if part.start_with?("v1=")
  end
  return false unless timestamp.match?(/\A[0-9]{1,12}\z/)
  return false if (now - timestamp.to_i).abs > TOLERANCE_SECONDS

  signed = "#{timestamp}.".b + body.b
  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, signed)
  OpenSSL.secure_compare(expected, given)
end
