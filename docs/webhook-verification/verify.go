package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// Verify reports whether a delivery comes from Posthorn and is recent. secret is
// the whole secret, "whsec_" included; signature is the header X-Mail-Signature;
// body is the request as it arrived, to be parsed afterwards; now is time.Now().
func Verify(secret, signature string, body []byte, now time.Time) bool {
	timestamp, given := "", ""
	for _, part := range strings.Split(signature, ",") {
		if strings.HasPrefix(part, "t=") {
			timestamp = part[len("t="):]
		}
		if strings.HasPrefix(part, "v1=") {
			given = part[len("v1="):]
		}
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return false
	}
	age := now.Unix() - int64(seconds)
	if age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}

	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(given))
}
